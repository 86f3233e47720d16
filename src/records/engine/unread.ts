/** Exports that sync does not read, and what to take instead. */

interface UnreadExport {
  /** Matches the first lines of its file, or the names of its members, one a line. */
  readonly form: RegExp;
  readonly title: string;
  readonly remedy: string;
}

const UNREAD: readonly UnreadExport[] = [
  {
    form: /^\ufeff?(?:Body|Foods|Food Log \d+|Activities|Sleep)\s*\r?\n"?(?:Date|Daily Totals|Meal|Start Time)\b/,
    title: 'the CSV export of the Fitbit website',
    remedy:
      'It states no units. Take "Fitbit" or "Google Health" on takeout.google.com instead: sync reads that archive.',
  },
  {
    form: /^\ufeff?Date\/Time,.*,Source\r?$/m,
    title: 'a table of single samples from Health Auto Export',
    remedy: 'Export health metrics, without workouts, with "Summarize Data" switched on.',
  },
  {
    form: /^\ufeff?#Version: ?\d+\r?\n#Units: ?\w+/,
    title: 'an export of Libra',
    remedy:
      'Delete the lines above "#date;weight", and add --unit weight=kg or --unit weight=lb, as the line #Units says.',
  },
  {
    form: /^(?:exportVersion|physicalInformation|sleepResult|sleepResultDate|meanNightlyRecoveryRmssd)$/im,
    title: 'an export of Polar Flow',
    remedy:
      'Let Polar Flow send its days to Apple Health or intervals.icu, and take the export of those.',
  },
  {
    form: /^(?:sportDataUserData|samplePoints)$/m,
    title: 'an export of Huawei Health',
    remedy:
      'Let Huawei Health send its days to Apple Health, or Health Sync to Fitbit or Samsung Health, and take the export of those.',
  },
  {
    form: /^\ufeff?Date,Avg Score,Avg Quality,Avg Duration/,
    title: 'sleep of whole weeks from the Garmin Connect website',
    remedy: 'Choose seven days or four weeks there, so that the file has days.',
  },
  {
    form: /^\ufeff?Sleep Score 1 Day\b/,
    title: 'a single night from the Garmin Connect website',
    remedy: 'Choose seven days or four weeks there.',
  },
  {
    form: /^\ufeff?(?:Date)?,Overnight HRV/,
    title: 'the HRV of the Garmin Connect website, whose dates have no year',
    remedy: 'Take the account export instead: "sync sources" says where.',
  },
  {
    form: /^\ufeff?,Actual(?:,Goal)?\r?\n/,
    title: 'perhaps a table of steps from the Garmin Connect website',
    remedy: 'If it has steps, choose four weeks there, and name the file Steps.csv.',
  },
];

/** @param text the first lines of a file, or names of members, one a line */
export function unreadExport(text: string): UnreadExport | undefined {
  return UNREAD.find(({ form }) => form.test(text));
}
