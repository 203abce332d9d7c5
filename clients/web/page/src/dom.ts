// Makes elements. Texts are always text nodes: what data and names contain is never taken for markup.

export function make<Name extends keyof HTMLElementTagNameMap>(
    name: Name,
    properties: { class?: string; text?: string; title?: string; id?: string; label?: string } = {},
    ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
    const element = document.createElement(name);
    if (properties.class) element.className = properties.class;
    if (properties.text !== undefined) element.textContent = properties.text;
    if (properties.title) element.title = properties.title;
    if (properties.id) element.id = properties.id;
    if (properties.label) element.setAttribute("aria-label", properties.label);
    element.append(...children);
    return element;
}

export function makeButton(text: string, title: string, action: () => void, label?: string): HTMLButtonElement {
    const button = make("button", { text, title, label });
    button.type = "button";
    button.onclick = action;
    return button;
}

export function bytesText(bytes: number): string {
    const units = ["B", "KB", "MB", "GB", "TB", "PB"];
    let i = 0;
    for (; bytes >= 1024 && i + 1 < units.length; ++i) bytes /= 1024;
    return `${bytes.toFixed(i === 0 ? 0 : 1)} ${units[i]}`;
}

export function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}
