// Takes the place of a module that is not needed, under the name that its importer expects.
export const AjvJsonSchemaValidator = undefined;
