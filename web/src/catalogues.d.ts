declare module "texts:fr" {
  const catalogue: Record<string, string | string[]>;
  export default catalogue;
}
declare module "texts:pt" {
  const catalogue: Record<string, string | string[]>;
  export default catalogue;
}
declare module "rules:all" {
  /** [game] brings its rules, as HTML made from docs/GAME.md. */
  const rules: Record<string, () => Promise<{ default: string }>>;
  export default rules;
}
