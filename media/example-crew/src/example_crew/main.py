"""Runs the crew once with real language models: `crewai run` in the project's folder."""

from example_crew.crew import ExampleCrew


def run() -> None:
    inputs = {"topic": "solid-state batteries", "audience": "city bus operators"}
    print(ExampleCrew().crew().kickoff(inputs=inputs))


if __name__ == "__main__":
    run()
