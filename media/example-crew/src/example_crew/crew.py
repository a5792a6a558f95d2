from crewai import Agent, Crew, Process, Task
from crewai.agents.agent_builder.base_agent import BaseAgent
from crewai.project import CrewBase, agent, crew, task


@CrewBase
class ExampleCrew:
    """Writes a short briefing; a person approves the outline before it is written."""

    agents: list[BaseAgent]
    tasks: list[Task]

    @agent
    def researcher(self) -> Agent:
        return Agent(config=self.agents_config["researcher"])

    @agent
    def editor(self) -> Agent:
        return Agent(config=self.agents_config["editor"])

    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config["writer"])

    @task
    def research(self) -> Task:
        return Task(config=self.tasks_config["research"])

    @task
    def outline(self) -> Task:
        return Task(config=self.tasks_config["outline"])

    @task
    def briefing(self) -> Task:
        return Task(config=self.tasks_config["briefing"])

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential)
