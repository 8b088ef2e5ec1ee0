// Takes the place of a module that is not needed, under the names that its importers expect.
const nothing = () => null;

export { nothing as AjvJsonSchemaValidator, nothing as a, nothing as default, nothing as n };
