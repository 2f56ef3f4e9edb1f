// Numbers out of the page: base64, zlib, then bytes of equal weight side by side (src/view/blob.h).

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export class Blob32 {
  private constructor(private readonly bytes: Uint8Array<ArrayBuffer>) {}

  static async unpack(text: string): Promise<Blob32> {
    if (text === '') return new Blob32(new Uint8Array(0));
    const stream = new Response(bytesOfBase64(text)).body!.pipeThrough(
      new DecompressionStream('deflate'),
    );
    return new Blob32(new Uint8Array(await new Response(stream).arrayBuffer()));
  }

  private gather(offset: number, count: number, width: number): ArrayBuffer {
    const out = new Uint8Array(count * width);
    for (let b = 0; b < width; b++) {
      const from = offset + b * count;
      for (let i = 0; i < count; i++) out[i * width + b] = this.bytes[from + i];
    }
    return out.buffer;
  }

  float32(offset: number, count: number): Float32Array {
    return new Float32Array(this.gather(offset, count, 4));
  }

  float64(offset: number, count: number): Float64Array {
    return new Float64Array(this.gather(offset, count, 8));
  }
}

/** float32 numbers, plain little-endian, of one row of a live run. */
export function rowOfBase64(text: string): Float32Array {
  return new Float32Array(bytesOfBase64(text).buffer);
}
