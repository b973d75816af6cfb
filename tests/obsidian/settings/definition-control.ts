import type { SettingControl } from 'obsidian';
import type { Setting } from './setting';
import type { SettingTab } from './setting-tab';

/** Draws a control and binds it to its tab: its value comes from there, and a change goes there once it is found good. */
export function drawControl(tab: SettingTab, setting: Setting, control: SettingControl): void {
  const seed: unknown = tab.getControlValue(control.key) ?? control.defaultValue;
  const validate: ((value: never) => unknown) | undefined = control.validate;
  const verdict = async (value: unknown): Promise<string> => {
    const said: unknown = validate === undefined ? '' : await Reflect.apply(validate, control, [value]);
    const message = typeof said === 'string' ? said : '';
    setting.setErrorMessage(message === '' ? null : message);
    return message;
  };
  const change = async (value: unknown): Promise<void> => {
    if ((await verdict(value)) !== '') return;
    await tab.setControlValue(control.key, value);
    tab.refreshDomState();
  };
  draw(setting, control, seed, (value) => void change(value));
  // What is stored can be wrong already: the row says so from the start.
  if (seed !== undefined) void verdict(seed);
}

function draw(
  setting: Setting,
  control: SettingControl,
  seed: unknown,
  change: (value: unknown) => void,
): void {
  const text = typeof seed === 'string' ? seed : '';
  const number = typeof seed === 'number' ? seed : null;
  switch (control.type) {
    case 'toggle':
      setting.addToggle((toggle) => toggle.setValue(seed === true).onChange(change));
      return;
    case 'dropdown':
      setting.addDropdown((dropdown) => dropdown.addOptions(control.options).setValue(text).onChange(change));
      return;
    case 'text':
    case 'file':
    case 'folder':
      setting.addText((input) =>
        input
          .setPlaceholder(control.placeholder ?? '')
          .setValue(text)
          .onChange(change),
      );
      return;
    case 'textarea':
      setting.addTextArea((area) => {
        if (control.rows !== undefined) area.inputEl.rows = control.rows;
        area
          .setPlaceholder(control.placeholder ?? '')
          .setValue(text)
          .onChange(change);
      });
      return;
    case 'number':
      setting.addText((input) => {
        const { min = null, max = null, step = null } = control;
        input.inputEl.setAttrs({ type: 'number', min, max, step });
        input.setPlaceholder(control.placeholder ?? '').setValue(number === null ? '' : String(number));
        input.onChange((value) => {
          if (value !== '') change(Number(value));
        });
      });
      return;
    case 'slider':
    case 'color':
      throw new Error(`The fake host draws no ${control.type}.`);
  }
}
