// Takes the place of Node's assertions in signal-exit, which loads all of them to check one argument.
exports.equal = () => {};
