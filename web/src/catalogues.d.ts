declare module "texts:fr" {
  const catalogue: Record<string, string | string[]>;
  export default catalogue;
}
declare module "texts:pt" {
  const catalogue: Record<string, string | string[]>;
  export default catalogue;
}
