/** Icon of the sandbox's pages: a green dot. Without one, browsers request `/favicon.ico`. */
export const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='6' fill='%230b6b4b'/%3E%3C/svg%3E";
