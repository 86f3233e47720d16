import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

/**
 * Closes an idle connection that receives data: the next request would take them for its answer, so
 * that a recording could count as delivered by the answer to another.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.2 - unsolicited data
 */
function closeOnUnsolicitedData(agent: http.Agent): void {
  const onData = function (this: Duplex) {
    this.destroy();
  };
  const keepSocketAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const reuseSocket = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket) => {
    if (socket.readableLength > 0 || !keepSocketAlive(socket)) return false;
    socket.on('data', onData);
    return true;
  };
  agent.reuseSocket = (socket, request) => {
    socket.off('data', onData);
    reuseSocket(socket, request);
  };
}

/** Creates the keep-alive agents by protocol. @param connections limit on connections to each host */
export function createAgents(connections: number): {
  readonly 'http:': http.Agent;
  readonly 'https:': https.Agent;
} {
  const options = { keepAlive: true, maxSockets: connections };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  for (const agent of Object.values(agents)) closeOnUnsolicitedData(agent);
  return agents;
}
