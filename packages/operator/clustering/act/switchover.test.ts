import { NullLogger, systemClock } from "@moco-ts/base";
import { GtidSet, type Instance } from "@moco-ts/mysql";
import { expect, test } from "vitest";
