/** A WebAssembly file that is imported `with { type: 'file' }`: the path where it can be read, in the binary too. */
declare module '*.wasm' {
  const path: string
  export default path
}
