// Keys and gamepad to commands. A command that is not zero is repeated, because the server lets go of
// one it does not hear of for half a second; a choice is sent once and stays.

import type { OperatorData } from './contract';
import type { Connection } from './connection';

const kRepeatMilliseconds = 120;
const kDeadZone = 0.08;
const kPressed = 0.5;

export class Operators {
  private readonly held = new Set<string>();
  private readonly sent = new Map<string, number>();
  private readonly sticks: OperatorData[];
  private readonly selectors: OperatorData[];
  private readonly chosen = new Map<string, number>();
  /** Buttons of choices that are down: each counts once. */
  private readonly pressed = new Set<string>();

  constructor(
    private readonly operators: OperatorData[],
    private readonly connection: Connection,
    private readonly shown: (name: string, value: number) => void,
  ) {
    this.sticks = operators.filter((one) => one.choices.length === 0);
    this.selectors = operators.filter((one) => one.choices.length > 0);
    if (operators.length === 0) return;
    document.addEventListener('keydown', (event) => this.key(event, true));
    document.addEventListener('keyup', (event) => this.key(event, false));
    window.addEventListener('blur', () => {
      this.held.clear();
      this.update();
    });
    setInterval(() => this.repeat(), kRepeatMilliseconds);
  }

  /** What all sticks say now, and what was chosen, for a start that is to begin with it. */
  commands(): Record<string, number> {
    const sticks = this.sticks.map((one): [string, number] => [one.name, this.commandOf(one)]);
    return Object.fromEntries([...sticks, ...this.chosen]);
  }

  /** The choice made here last, if any. */
  choiceOf(operator: OperatorData): number | undefined {
    return this.chosen.get(operator.name);
  }
  /** The run begins anew: so do the choices. */
  forgetChoices(): void {
    this.chosen.clear();
  }

  choose(operator: OperatorData, choice: number): void {
    this.chosen.set(operator.name, choice);
    void this.connection.send({ command: 'operate', name: operator.name, value: choice });
  }

  private key(event: KeyboardEvent, down: boolean): void {
    const target = event.target as HTMLElement;
    if (['INPUT', 'SELECT'].includes(target.tagName)) return;
    if (!this.operators.some((one) => one.keys.includes(event.key))) return;
    event.preventDefault();
    if (down && !event.repeat) this.chooseBy((one) => one.keys.indexOf(event.key));
    if (down) this.held.add(event.key);
    else this.held.delete(event.key);
    this.update();
  }

  private chooseBy(choiceOf: (operator: OperatorData) => number): void {
    for (const operator of this.selectors) {
      const choice = choiceOf(operator);
      if (choice >= 0) this.choose(operator, choice);
    }
  }

  private commandOf(operator: OperatorData): number {
    const [negative, positive] = operator.keys.map((key) => (this.held.has(key) ? 1 : 0));
    if (positive !== negative) return positive - negative;
    for (const pad of navigator.getGamepads?.() ?? []) {
      const axis = operator.gamepad_axis === null ? 0 : (pad?.axes[operator.gamepad_axis] ?? 0) * operator.axis_sign;
      if (Math.abs(axis) > kDeadZone) return axis;
      const [back, forth] = operator.gamepad_buttons.map((button) => pad?.buttons?.[button]?.value ?? 0);
      if (back > kDeadZone || forth > kDeadZone) return forth - back;
    }
    return 0;
  }

  /** Buttons that went down since the last look. */
  private readSelectors(): void {
    for (const operator of this.selectors) {
      operator.gamepad_buttons.forEach((button, choice) => {
        const name = `${operator.name} ${choice}`;
        const down = [...(navigator.getGamepads?.() ?? [])].some((pad) => (pad?.buttons?.[button]?.value ?? 0) > kPressed);
        if (down && !this.pressed.has(name)) this.choose(operator, choice);
        if (down) this.pressed.add(name);
        else this.pressed.delete(name);
      });
    }
  }

  private update(): void {
    for (const operator of this.sticks) {
      const value = this.commandOf(operator);
      if (value !== (this.sent.get(operator.name) ?? 0)) this.send(operator.name, value);
    }
  }

  private repeat(): void {
    this.readSelectors();
    this.update();
    for (const [name, value] of this.sent) if (value !== 0) this.send(name, value);
  }

  private send(name: string, value: number): void {
    this.sent.set(name, value);
    this.shown(name, value);
    void this.connection.send({ command: 'operate', name, value });
  }
}
