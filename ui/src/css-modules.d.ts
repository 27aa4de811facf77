/** Class names of a CSS module by the names that the module writes. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}
