// What is stepped through when nobody said it in a launch.json.

export interface Configuration {
  type?: string;
  request?: string;
  name?: string;
  [key: string]: unknown;
}

const SETTINGS = ["limitSeconds", "limitMegabytes", "limitStates", "defines", "includeDirs"];

/**
 * A configuration with everything that it needs: the model in front where none is named, and the limits of the
 * settings where it has none of its own. None if there is no model.
 */
export function completed(
  wanted: Configuration,
  front: string | undefined,
  setting: (name: string) => unknown,
): Configuration | undefined {
  const whole: Configuration = { ...wanted };
  whole.type ??= "evenhand";
  whole.request ??= "launch";
  whole.name ??= "Step through a run";
  whole.program ??= front;
  if (typeof whole.program !== "string" || whole.program === "") {
    return undefined;
  }
  for (const name of SETTINGS) {
    whole[name] ??= setting(name);
  }
  return whole;
}
