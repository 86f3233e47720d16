/** The factors between units that more than one part of the program converts. */

export const KG_PER_POUND = 0.45359237;
export const KCAL_PER_KJ = 0.239006;
export const METRES_PER_MILE = 1_609.344;
/** Millilitres of a fluid ounce of the United States. */
export const ML_PER_FLUID_OUNCE = 29.5735;
