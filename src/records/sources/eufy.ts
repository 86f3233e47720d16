import { KG_PER_POUND } from '../../base/units.ts';
import { type Source, wellness } from './types.ts';

export const eufy: Source = {
  name: 'eufy',
  title: 'EufyLife export',
  howTo: 'In the EufyLife app: Me > Data Export, for one member of the family.',
  evidence: [
    'sthapa/eufyformatter README.md',
    'sthapa/eufyformatter src/test_data/test_read_imperial.csv',
  ],
  files: [
    wellness('csv', 'weights', {
      has: ['Time', 'Family Members', ['WEIGHT (kg)', 'WEIGHT (lbs)']],
      person: 'Family Members',
      day: { from: 'Time' },
      fields: {
        weight: { from: 'WEIGHT (kg)', factor: 1, decimals: 2 },
        'weight#lb': { from: 'WEIGHT (lbs)', factor: KG_PER_POUND, decimals: 2 },
        // Without bare feet, all but the weight is 0.
        bodyFat: { from: 'BODY FAT %', decimals: 1, none: [0] },
      },
    }),
  ],
};
