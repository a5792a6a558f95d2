import * as vscode from "vscode";

interface Shown {
  readonly tab: vscode.WebviewPanel;
  /** Local IDs of the executions that it shows. */
  readonly localIds: readonly string[];
}

/** All open tabs with one kind of page. The code of a page is loaded when it is first shown. */
export class PageTabs<Page extends Shown> implements vscode.Disposable {
  readonly #type: string;
  readonly #open = new Set<Page>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #registration: vscode.Disposable;
  readonly onDidChangeShown = this.#changed.event;

  /** @param restore makes the page of a tab that returns with its window. Undefined for a state that isn't ours */
  constructor(
    type: string,
    restore: (tab: vscode.WebviewPanel, state: unknown) => Promise<Page | undefined>,
  ) {
    this.#type = type;
    this.#registration = vscode.window.registerWebviewPanelSerializer(type, {
      deserializeWebviewPanel: async (tab, state) => {
        const page = await restore(tab, state);
        if (page === undefined) tab.dispose();
        else this.#add(page);
      },
    });
  }

  get shown(): readonly string[] {
    const visible = [...this.#open].filter(({ tab }) => tab.visible);
    return visible.flatMap(({ localIds }) => localIds);
  }

  find(fits: (page: Page) => boolean): Page | undefined {
    return [...this.#open].find(fits);
  }

  open(title: string, pageIn: (tab: vscode.WebviewPanel) => Page): void {
    const options = { enableFindWidget: true };
    const { Active } = vscode.ViewColumn;
    this.#add(pageIn(vscode.window.createWebviewPanel(this.#type, title, Active, options)));
  }

  #add(page: Page): void {
    this.#open.add(page);
    page.tab.onDidChangeViewState(() => this.#changed.fire());
    page.tab.onDidDispose(() => {
      this.#open.delete(page);
      this.#changed.fire();
    });
    this.#changed.fire();
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
