// Takes the place of atob, which is written in JavaScript and takes milliseconds for the code of Yoga.
export const decodeBase64 = (text) => Buffer.from(text, "base64").latin1Slice();
