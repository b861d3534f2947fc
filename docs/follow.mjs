// Follows a game: yields the frames of its stream until it ends. docs/following.md explains it.
export async function* follow(url, token, after) {
  const headers = {Accept: "text/event-stream", ...(token && {Authorization: `Bearer ${token}`})};
  const answer = await fetch(after === undefined ? url : `${url}?after=${after}`, {headers});
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  if (answer.status === 204) return;  // the game is over, and all of it is known
  let buffer = "";
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    buffer += chunk;
    for (let end; (end = buffer.indexOf("\n\n")) >= 0; buffer = buffer.slice(end + 2)) {
      const frame = Object.fromEntries(buffer.slice(0, end).split("\n").map((line) => line.split(/: (.*)/s, 2)));
      if (frame.data) yield {event: frame.event ?? "message", id: frame.id, data: JSON.parse(frame.data)};
    }
  }
}
