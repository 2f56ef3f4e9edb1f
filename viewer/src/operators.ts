// Keys and gamepad axes to commands. A command that is not zero is repeated, because the server
// lets go of one it does not hear of for half a second.

import type { OperatorData } from './contract';
import type { Connection } from './connection';

const kRepeatMilliseconds = 120;
const kDeadZone = 0.08;

export class Operators {
  private readonly held = new Set<string>();
  private readonly sent = new Map<string, number>();

  constructor(
    private readonly operators: OperatorData[],
    private readonly connection: Connection,
    private readonly shown: (name: string, value: number) => void,
  ) {
    if (operators.length === 0) return;
    document.addEventListener('keydown', (event) => this.key(event, true));
    document.addEventListener('keyup', (event) => this.key(event, false));
    window.addEventListener('blur', () => {
      this.held.clear();
      this.update();
    });
    setInterval(() => this.repeat(), kRepeatMilliseconds);
  }

  private key(event: KeyboardEvent, down: boolean): void {
    const target = event.target as HTMLElement;
    if (['INPUT', 'SELECT'].includes(target.tagName)) return;
    if (!this.operators.some((one) => one.keys.includes(event.key))) return;
    event.preventDefault();
    if (down) this.held.add(event.key);
    else this.held.delete(event.key);
    this.update();
  }

  private commandOf(operator: OperatorData): number {
    const [negative, positive] = operator.keys.map((key) => (this.held.has(key) ? 1 : 0));
    if (positive !== negative) return positive - negative;
    if (operator.gamepad_axis === null) return 0;
    for (const pad of navigator.getGamepads?.() ?? []) {
      const value = pad?.axes[operator.gamepad_axis] ?? 0;
      if (Math.abs(value) > kDeadZone) return value;
    }
    return 0;
  }

  private update(): void {
    for (const operator of this.operators) {
      const value = this.commandOf(operator);
      if (value !== (this.sent.get(operator.name) ?? 0)) this.send(operator.name, value);
    }
  }

  private repeat(): void {
    this.update();
    for (const [name, value] of this.sent) if (value !== 0) this.send(name, value);
  }

  private send(name: string, value: number): void {
    this.sent.set(name, value);
    this.shown(name, value);
    void this.connection.send({ command: 'operate', name, value });
  }
}
