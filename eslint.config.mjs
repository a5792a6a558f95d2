// Types and style are checked by typescript-eslint; the walls between the rooms of `src` by the table below.
import tseslint from "typescript-eslint";
import { linearPatterns } from "./scripts/slow-pattern.ts";

/** What every room with a part of the user interface may import. */
const below = [
  "base",
  "api",
  "store",
  "executions",
  "view",
  "sending",
  "projects",
  "editor",
  "vscode",
];

/** What each room may import besides itself. `vscode` stands for VS Code's own API. A test keeps it equal to the table in CONTRIBUTING.md. */
export const rooms = {
  base: [],
  api: ["base"],
  store: ["base"],
  executions: ["base", "api", "store"],
  view: ["base", "executions"],
  sending: ["base", "api", "store", "executions"],
  callbacks: ["base", "api", "store", "executions"],
  projects: ["base"],
  editor: ["base", "vscode"],
  crews: [...below, "callbacks"],
  kickoff: [...below, "crews"],
  views: [...below, "crews", "kickoff", "spans"],
  local: ["base", "store", "crews", "projects", "editor", "vscode"],
  models: ["base", "crews", "editor", "vscode"],
  tests: ["base", "crews", "kickoff", "local", "editor", "vscode"],
  actions: [...below, "crews", "kickoff", "views", "callbacks", "local", "models", "tests"],
  "project-files": ["base", "executions", "projects", "crews", "view", "editor", "vscode"],
  spans: ["base", "api", "executions"],
  service: ["base", "projects", "spans", "relay"],
  relay: ["base", "service"],
  webview: ["base", "view", "kickoff", "views"],
};

/** `service` and `view` take types of `api`, never its code; the browser side takes only the pure files of `kickoff` and `views`. */
export const typesOnly = { service: ["api"], view: ["api"] };

/** What `extension.ts` may not import: programs and pages of their own. */
export const closedToExtension = ["service", "relay", "webview"];

/** Text for a person that no translator would see: literals of more than one word. */
const untranslated = [
  "CallExpression[callee.property.name=/^show(Information|Warning|Error)Message$/] > :matches(Literal[value=/[a-z]{2}/], TemplateLiteral:has(TemplateElement[value.raw=/[a-z]{2}/]))",
  "NewExpression[callee.name=/^(User|Address|Project|MaybeStarted)Error$/] > :matches(Literal[value=/[a-z]{2}/], TemplateLiteral:has(TemplateElement[value.raw=/[a-z]{2}/]))",
  "Property[key.name=/^(title|label|detail|description|tooltip|prompt|placeHolder|placeholder|openLabel|saveLabel|message|remedy|intro)$/] > :matches(Literal[value=/[a-z,.] [a-z]/], TemplateLiteral:has(TemplateElement[value.raw=/[a-z,.] [a-z]/]))",
].map((selector) => ({ selector, message: "A person reads this: translate it with l10n.t." }));

/** Run while the code is loaded, before the language is known. */
const tooEarly = {
  selector:
    'CallExpression[callee.object.name="l10n"][callee.property.name="t"]:not(:function *, PropertyDefinition *)',
  message: "Translate when it is shown: the language is known only after the code is loaded.",
};

/** Problem reports contain what was being done, and no names. */
const named = {
  selector:
    "CallExpression:matches([callee.name='logProblem'], [callee.property.name=/^(#?onProblem|problem)$/])[arguments.0.type='TemplateLiteral']",
  message:
    "This text comes into problem reports: give the crew's or file's name as the last argument.",
};

const walls = Object.entries(rooms).map(([room, allowed]) => {
  const closed = Object.keys(rooms).filter((other) => other !== room && !allowed.includes(other));
  const message = (other) =>
    `The room "${room}" may not import from "${other}" (see the table of rooms in CONTRIBUTING.md).`;
  const patterns = closed.map((other) => ({
    regex: `^\\.\\./(\\.\\./)*${other}/`,
    message: message(other),
    allowTypeImports: (typesOnly[room] ?? []).includes(other),
  }));
  const paths = allowed.includes("vscode")
    ? []
    : [{ name: "vscode", message: `The room "${room}" never imports vscode.` }];
  // What is loaded later, by `import()`. A selector takes a slash by its code only.
  const later = closed.map((other) => ({
    selector: `ImportExpression[source.value=/^\\.\\.\\u002F(\\.\\.\\u002F)*${other}\\u002F/]`,
    message: message(other),
  }));
  return {
    files: [`src/${room}/**/*.{ts,tsx}`],
    rules: {
      "@typescript-eslint/no-restricted-imports": ["error", { patterns, paths }],
      // The service and the relay speak English: what they print goes into a log.
      "no-restricted-syntax": [
        "error",
        ...later,
        ...(room === "service" || room === "relay" ? [] : [...untranslated, tooEarly, named]),
      ],
    },
  };
});

const extensionWall = {
  files: ["src/extension.ts"],
  rules: {
    "@typescript-eslint/no-restricted-imports": [
      "error",
      {
        patterns: closedToExtension.map((room) => ({
          regex: `^\\./${room}/`,
          message: `extension.ts may not import from "${room}" (see the table of rooms in CONTRIBUTING.md).`,
        })),
      },
    ],
  },
};

export default tseslint.config(
  { ignores: ["dist/", "out/", ".vscode-test/", "node_modules/"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["*.mjs"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      eqeqeq: "error",
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ["src/**"],
    plugins: { crewdeck: { rules: { "linear-patterns": linearPatterns } } },
    rules: { "crewdeck/linear-patterns": "error" },
  },
  { files: ["**/*.mjs"], extends: [tseslint.configs.disableTypeChecked] },
  {
    files: ["test/**/*.ts", "scripts/**/*.ts"],
    rules: {
      "max-lines": ["error", { max: 650, skipBlankLines: true, skipComments: true }],
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [] }],
    },
  },
  ...walls,
  extensionWall,
);
