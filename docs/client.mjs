// One game of Hearts against bots over HTTP: put your own player into it.
// node docs/client.mjs '{"preset": "omnibus", "seats": 5}'
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { follow } from "./follow.mjs";

const BASE = `${process.env.HEARTS_URL ?? "http://127.0.0.1:8000"}/v1`;
const rules = JSON.parse(process.argv[2] ?? "{}");

// Sends a request until it is answered. Its key makes repeating it harmless.
async function ask(method, path, token, body) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (method !== "GET") headers["Idempotency-Key"] = randomUUID();
  for (;;) {
    try {
      const answer = await fetch(BASE + path, { method, headers, body: body && JSON.stringify(body) });
      if (![429, 503].includes(answer.status)) return [answer.status, await answer.json()];
      await pause(1000 * Number(answer.headers.get("Retry-After")));
    } catch {
      await pause(1000);
    }
  }
}

const [status, made] = await ask("POST", "/games", null, { rules, claim: { seat: 0, name: "Ana" } });
if (status !== 201) {
  console.error(made.detail);
  process.exit(1);
}
const game = `/games/${made.id}`, me = made.seat_token;
const seed = randomBytes(32).toString("hex"); // our share in the shuffle; the deals were fixed before
await ask("PATCH", `${game}/seats/0`, me, { client_seed: seed });
await ask("POST", `${game}/start`, made.host_token);

for (;;) {
  const [, state] = await ask("GET", game, me);
  if (["finished", "aborted"].includes(state.status)) {
    console.log(JSON.stringify(state.result));
    break;
  }
  if (state.you.to_act) {
    const move = state.you.legal_moves[0]; // put your own player here
    const [code, answer] = await ask("POST", `${game}/moves`, me, { ...move, turn_id: state.turn.id });
    if (code === 409) console.error(answer.code, answer.detail); // look again
    continue;
  }
  try {
    for await (const frame of follow(BASE + game + "/stream", me, state.version)) {
      if (frame.event === "message") break; // something happened
    }
  } catch {
    await pause(1000); // the connection was cut; the state says where we are
  }
}
