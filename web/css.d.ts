/** Styles are put beside the scripts by the build. */
declare module '*.css';
