import assert from "node:assert/strict";
import { crewClassesIn } from "../../../src/projects/python-source.ts";

const found = (text: string) =>
  crewClassesIn(text).flatMap(({ methods }) =>
    methods.map(
      ({ kind, name, config, line, column }) =>
        `${line}:${column} ${kind} ${name}${config === undefined ? "" : ` ${config}`}`,
    ),
  );

const body = `    @agent
    def writer(self) -> Agent:
        return Agent(config=self.agents_config['writer'])

    @task
    def draft(self) -> Task:
        return Task(
            config=self.tasks_config["draft_task"],
        )

    @crew
    def crew(self) -> Crew:
        return Crew()
`;
const methods = ["3:5 agent writer writer", "7:5 task draft draft_task", "13:5 crew crew"];

describe("the methods in crew.py", () => {
  it("are those with crewAI's decorators in a class with @CrewBase", () => {
    assert.deepEqual(found(`@CrewBase\nclass Poem:\n${body}`), methods);
    assert.deepEqual(found(`class Poem:\n\n${body}`), []);
    assert.deepEqual(found(`@CrewBase\nclass Poem:\n${body}`.replaceAll("\n", "\r\n")), methods);
  });

  it("are found with other decorators, calls, modules, bases and async", () => {
    const text = `@project.CrewBase
@other(
    1,
)
class Poem(
    Base,
):
    @project.task
    @cache(size=(1, 2))
    # a comment

    async def draft(self): ...
    @task
    broken = 1`;
    assert.deepEqual(found(text), ["8:5 task draft"]);
  });

  it("aren't those in strings, comments and other classes", () => {
    const text = `@CrewBase
class Poem:
    """It isn't
    @task
    def inText(self): ...
    """
    # @task
    text = "\\"# " # '''
    @task
    def real(self): ...
class Other:
    @task
    def outside(self): ...
@task
def loose(): ...`;
    assert.deepEqual(found(text), ["9:5 task real"]);
  });

  it("are found in a file that isn't finished", () => {
    const open =
      '@CrewBase\nclass Poem:\n    @task\n    def one(self):\n        return """never closed';
    assert.deepEqual(found(open), ["3:5 task one"]);
    assert.deepEqual(found("@CrewBase\nclass Poem:\n    @task\n"), []);
    assert.deepEqual(found("@CrewBase"), []);
    assert.deepEqual(found(""), []);
  });
});
