/** The syntax of action.yml for composite actions, as GitHub documents it. */
export const ACTION_METADATA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'description', 'runs'],
  properties: {
    name: { type: 'string', minLength: 1 },
    author: { type: 'string' },
    description: { type: 'string', minLength: 1, maxLength: 125 },
    branding: {
      type: 'object',
      additionalProperties: false,
      required: ['icon', 'color'],
      properties: {
        icon: { enum: ['activity'] },
        color: {
          enum: [
            'white',
            'black',
            'yellow',
            'blue',
            'green',
            'orange',
            'red',
            'purple',
            'gray-dark',
          ],
        },
      },
    },
    inputs: {
      type: 'object',
      propertyNames: { pattern: '^[a-z_][a-z0-9_-]*$' },
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['description'],
        properties: {
          description: { type: 'string', minLength: 1 },
          required: { type: 'boolean' },
          default: { type: 'string' },
          deprecationMessage: { type: 'string' },
        },
      },
    },
    outputs: {
      type: 'object',
      propertyNames: { pattern: '^[a-z_][a-z0-9_-]*$' },
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['description', 'value'],
        properties: { description: { type: 'string' }, value: { type: 'string' } },
      },
    },
    runs: {
      type: 'object',
      additionalProperties: false,
      required: ['using', 'steps'],
      properties: {
        using: { const: 'composite' },
        steps: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['run', 'shell'],
            properties: {
              id: { type: 'string' },
              name: { type: 'string' },
              if: { type: 'string' },
              run: { type: 'string', minLength: 1 },
              shell: { enum: ['bash', 'sh', 'pwsh', 'python'] },
              env: { type: 'object', additionalProperties: { type: 'string' } },
              'working-directory': { type: 'string' },
              'continue-on-error': { type: 'boolean' },
            },
          },
        },
      },
    },
  },
};
