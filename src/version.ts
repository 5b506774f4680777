declare const __SAGO_VERSION__: string | undefined;

/** The product's version, from package.json at build time; `"development"` where no build defines it. */
export const productVersion: string = typeof __SAGO_VERSION__ === "string" ? __SAGO_VERSION__ : "development";
