/**
 * Waits for one turn of the event loop, so that messages that have arrived are handled. An awaited run of the
 * runtime on WebAssembly never leaves the microtask queue by itself.
 */
export function yieldToMessages(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
