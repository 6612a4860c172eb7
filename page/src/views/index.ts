/* The views, in the order of their tabs. */
import { View } from "../app";
import { about } from "./about";
import { overview } from "./overview";

export const views: View[] = [overview, about];
