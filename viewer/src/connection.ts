// The wire to a live run: events in, commands out.

export interface LiveState {
  epoch: number;
  t: number;
  duration: number;
  status: string;
  cause: string;
  message: string;
  speed: number | null;
  achieved: number;
  tunables: Record<string, number>;
  events: { time: number; name: string; direction: number }[];
}

export interface LiveScore {
  points: number;
  of: number;
  terms: { value: number | null; points: number; broken: boolean }[];
}

export interface LiveFrame {
  epoch: number;
  n: number;
  t: number;
  row: string;
  score?: LiveScore;
}

export interface Listener {
  state(state: LiveState): void;
  frame(frame: LiveFrame): void;
  /** The server is gone, or back. */
  connected(yes: boolean): void;
  /** A command was refused. */
  refused(text: string): void;
}

export class Connection {
  private readonly query: string;

  constructor(
    token: string,
    private readonly listener: Listener,
  ) {
    this.query = token === '' ? '' : `?token=${encodeURIComponent(token)}`;
    const source = new EventSource(`/api/events${this.query}`);
    source.addEventListener('state', (event) => listener.state(JSON.parse(event.data) as LiveState));
    source.addEventListener('frame', (event) => listener.frame(JSON.parse(event.data) as LiveFrame));
    source.addEventListener('open', () => listener.connected(true));
    source.addEventListener('error', () => listener.connected(false));
  }

  async send(command: Record<string, unknown>): Promise<void> {
    try {
      const response = await fetch(`/api/command${this.query}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(command),
      });
      if (!response.ok) this.listener.refused(await response.text());
    } catch {
      this.listener.connected(false);
    }
  }
}
