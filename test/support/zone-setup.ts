import { chooseZoneData } from '../../src/app/zone.ts';

// Runs for every test file: a test may count days without a command, which chooses the zone data first.
await chooseZoneData();
