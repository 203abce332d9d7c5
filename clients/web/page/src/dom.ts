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
