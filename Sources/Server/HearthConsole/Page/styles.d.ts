/** Style sheets are imported for the bundle; they have no content for the program. */
declare module "*.css";
