import assert from "node:assert/strict";
import { readLink } from "../../../src/actions/link.ts";

const id = "3f2a8c1e-0000-4000-8000-000000000000";

const leaked =
  "A link to Crewdeck seems to contain a token, so it was not followed. Links are kept in histories, chats and logs: treat that token as leaked, and create a new one in the crew's dashboard. A token is never taken from a link.";

describe("a deep link", () => {
  for (const [path, query, link] of [
    [
      "/add",
      "name=Travel&url=https://travel.example.com/kickoff",
      { url: "https://travel.example.com", name: "Travel" },
    ],
    ["/add/", "url=https%3A%2F%2Ftravel.example.com%2F", { url: "https://travel.example.com" }],
    ["/add", "url=http://127.0.0.1:8000&windowId=_blank", { url: "http://127.0.0.1:8000" }],
    [
      "/track",
      `url=https://travel.example.com&id=${id}`,
      { url: "https://travel.example.com", kickoffId: id },
    ],
  ] as const) {
    it(`${path}?${query} is read`, () => assert.deepEqual(readLink(path, query), link));
  }

  for (const [path, query] of [
    ["/kickoff", "url=https://travel.example.com"],
    ["/", ""],
    ["/add/more", "url=https://travel.example.com"],
    ["/add", "name=Travel"],
    ["/track", `id=${id}`],
    ["/add", "url=http://travel.example.com"],
    ["/add", "url=file:///etc/passwd"],
    ["/add", `name=${"x".repeat(101)}&url=https://travel.example.com`],
    ["/add", "name=Tra%E2%80%AEvel&url=https://travel.example.com"],
    ["/track", "url=https://travel.example.com"],
    ["/track", "url=https://travel.example.com&id=a/b"],
    ["/track", `url=https://travel.example.com&id=${"x".repeat(201)}`],
  ] as const) {
    it(`${path}?${query.slice(0, 60)} is refused`, () => {
      assert.throws(() => readLink(path, query), /was not followed: it must be/);
    });
  }

  for (const query of [
    "url=https://travel.example.com&token=abc",
    "url=https://travel.example.com&user_bearer_token=abc",
    "url=https://travel.example.com&apiKey=abc",
    "url=https://travel.example.com&x=Bearer abc",
    "url=https://travel.example.com&name=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig",
    "url=https://me:abc@travel.example.com",
    "url=https://travel.example.com/?token=abc",
    "url=https%3A%2F%2Ftravel.example.com%2F%3Fa%3D1%26access_token%3Dabc",
    "url=https://travel.example.com/%23token=abc",
    "token=abc",
  ]) {
    it(`with what looks like a token is refused on every route, without repeating it: ${query}`, () => {
      for (const path of ["/add", "/track", "/other"])
        assert.throws(() => readLink(path, query), { message: leaked });
    });
  }
});
