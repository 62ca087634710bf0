export { initializeApp } from '@firebase/app';
export * from '@firebase/auth';
