/* The views, in the order of their tabs. */
import { View } from "../app";
import { about } from "./about";
import { cluster } from "./cluster";
import { comparison } from "./comparison";
import { flame } from "./flame";
import { functions } from "./functions";
import { overview } from "./overview";
import { processes } from "./processes";
import { surface } from "./surface";
import { timeline } from "./timeline";
import { topology } from "./topology";
import { trees } from "./trees";
import { waits } from "./waits";

export const views: View[] = [overview, trees, flame, functions, timeline, waits, processes, topology, surface, comparison, cluster, about];
