// Takes the place of a module that is not needed.
export {};
