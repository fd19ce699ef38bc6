// For addresses at which there is nothing.
import { fetched } from "../lib/fetched.js";

export const Missing = fetched(() => import("./nothing_here.js").then((module) => module.NothingHere));
