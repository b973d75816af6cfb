/** A control in a settings row. */
export abstract class BaseComponent {
  disabled = false;

  then(cb: (component: this) => unknown): this {
    cb(this);
    return this;
  }

  setDisabled(disabled: boolean): this {
    this.disabled = disabled;
    return this;
  }
}

/** A control that holds a value. `setValue` does not call back; a person's change does. */
export abstract class ValueComponent<T> extends BaseComponent {
  declare registerOptionListener: (listeners: Record<string, (value?: T) => T>, key: string) => this;
  abstract getValue(): T;
  abstract setValue(value: T): this;
}
