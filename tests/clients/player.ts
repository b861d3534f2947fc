// A whole game with the types that are generated from the contract, over a connection that is
// cut again and again. `node player.js ADDRESS` plays seat 0 against three bots, follows the
// game on its stream, and prints the result. What it has heard must be what the log says.
import createClient from "openapi-fetch";
import type {components, paths} from "./schema.js";

type Game = components["schemas"]["Game"];

const FRAMES_UNTIL_CUT = 3;
const address = process.argv[2] ?? "http://127.0.0.1:8000";
const api = createClient<paths>({baseUrl: address});

function need<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`no ${what}`);
  return value;
}

function bearer(token: string) {
  return {Authorization: `Bearer ${token}`};
}

async function* frames(body: ReadableStream<Uint8Array>) {
  let buffer = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, {stream: true});
    for (let end; (end = buffer.indexOf("\n\n")) >= 0; buffer = buffer.slice(end + 2)) {
      const lines = buffer.slice(0, end).split("\n").map((line) => line.split(/: (.*)/s, 2));
      const frame = Object.fromEntries(lines) as Record<string, string>;
      if (frame.data) yield frame;
    }
  }
}

async function follow(id: string, token: string, after: number): Promise<number[]> {
  const cut = new AbortController();
  const headers = {...bearer(token), "Last-Event-ID": String(after)};
  const answer = await fetch(`${address}/v1/games/${id}/stream`, {headers, signal: cut.signal});
  const heard: number[] = [];
  if (answer.status === 204) return heard;
  for await (const frame of frames(need(answer.body, "stream"))) {
    if (frame.id === undefined) break; // a heartbeat, or the end
    heard.push(Number(frame.id));
    if (heard.length === FRAMES_UNTIL_CUT) break;
  }
  cut.abort();
  return heard;
}

const made = need(
  (
    await api.POST("/v1/games", {
      body: {
        rules: {ending: {target: null, deals: 1, tie: "share"}},
        claim: {seat: 0, name: "Ana"},
      },
      headers: {"Idempotency-Key": crypto.randomUUID()},
    })
  ).data,
  "game",
);
const me = need(made.seat_token, "seat");
const path = {game_id: made.id};
const started = await api.POST("/v1/games/{game_id}/start", {
  params: {path},
  headers: bearer(made.host_token),
});
need(started.data, "start");

const heard = Array.from({length: made.version}, (_, place) => place + 1);
let game: Game;
for (;;) {
  game = need((await api.GET("/v1/games/{game_id}", {params: {path}, headers: bearer(me)})).data, "state");
  if (game.status === "finished") break;
  const you = need(game.you, "seat");
  if (you.to_act) {
    const move = {...need(you.legal_moves[0], "move"), turn_id: need(game.turn, "turn").id};
    const done = await api.POST("/v1/games/{game_id}/moves", {
      params: {path},
      body: move,
      headers: bearer(me),
    });
    need(done.data, "outcome");
  }
  heard.push(...(await follow(made.id, me, need(heard.at(-1), "version"))));
}
for (let more = [0]; more.length; heard.push(...more)) {
  more = await follow(made.id, me, need(heard.at(-1), "version"));
}

const log = need(
  (
    await api.GET("/v1/games/{game_id}/events", {
      params: {path, query: {limit: 500}},
      headers: bearer(me),
    })
  ).data,
  "log",
);
const numbers = log.items.map((event) => event.seq);
if (!log.complete || JSON.stringify(numbers) !== JSON.stringify(heard)) {
  throw new Error(`heard ${heard}, and the log has ${numbers}`);
}
console.log(JSON.stringify(game.result));
