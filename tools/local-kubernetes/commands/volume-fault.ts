import { Command, InvalidArgumentError, Option } from "commander";
import { parseBytes } from "@moco-ts/base";
import { cluster } from "../cluster/handle.ts";
import { parseVolumeTarget } from "../volumes/faults.ts";
import type { Filling } from "../volumes/fill.ts";
import { nameOption } from "./options.ts";

/** What `fault` can do to volumes. */
export function volumeFaultCommands(): Command[] {
  return [
    fillCommand(),
    volumeCommand("unfill", "take away again what `fill` put on a volume", "unfillVolume"),
    volumeCommand("lose-disk", "break a volume's disk: I/O errors for who uses it, nothing can be saved", "loseDisk"),
    volumeCommand("replace-disk", "put a new, empty disk into the place of a lost one", "replaceDisk"),
  ];
}

interface FillOptions {
  name: string;
  bytes?: string;
  percent?: number;
  inodes?: number;
}

function fillCommand(): Command {
  return new Command("fill")
    .description("use up space or inodes of a volume (default: all space)")
    .argument("<volume>")
    .option("--bytes <quantity>", "so much more, for example 100Mi")
    .addOption(
      percentOption("--percent <number>", "until so much of the capacity is used").conflicts(["bytes", "inodes"]),
    )
    .addOption(percentOption("--inodes <percent>", "until so many of the inodes are used").conflicts(["bytes"]))
    .addOption(nameOption())
    .action(async (volume: string, options: FillOptions) => {
      const { faults } = await cluster(options.name);
      await faults.fillVolume(parseVolumeTarget(volume), filling(options));
    });
}

function filling({ bytes, percent, inodes }: FillOptions): Filling {
  if (bytes !== undefined) {
    return { bytes: parseBytes(bytes) };
  }
  return inodes === undefined ? { percent: percent ?? 100 } : { inodePercent: inodes };
}

function volumeCommand(name: string, description: string, fault: "unfillVolume" | "loseDisk" | "replaceDisk"): Command {
  return new Command(name)
    .description(description)
    .argument("<volume>")
    .addOption(nameOption())
    .action(async (volume: string, options: { name: string }) => {
      const { faults } = await cluster(options.name);
      await faults[fault](parseVolumeTarget(volume));
    });
}

function percentOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const value = Number(text);
    if (!(value > 0 && value <= 100)) {
      throw new InvalidArgumentError("it must be a number above 0, up to 100.");
    }
    return value;
  });
}
