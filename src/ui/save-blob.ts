/** Hands a file to the browser's own way of saving. Every download of the page is one of these. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the blob once it has begun, which is later in this task.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
