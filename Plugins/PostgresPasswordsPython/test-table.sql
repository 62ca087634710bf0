-- The table that plugin-tests.json speaks of, one user for each kind of hash: the password of ann is "ann's old secret".
CREATE TABLE users (
  id integer PRIMARY KEY,
  email text NOT NULL,
  password_hash text,
  email_verified boolean NOT NULL DEFAULT false,
  name text
);
INSERT INTO users VALUES
  (1, 'Ann@Example.com', '$2b$04$abcdefghijklmnopqrstuusobJ.HE7JnGStwcdqwbBykSB7tnp7FS', true, 'Ann'),
  (2, 'bob@example.com', '$6$rounds=1000$0123456789abcdef$HvjlaerI5CYnzTd2l9r3kE4CSsi5mMnN/pcipjpW0stFyMYETVLw0WpX91ru3YplYluhY1arM1WrAw0.mjGoJ1', false, 'Bob'),
  (3, 'cid@example.com', 'pbkdf2_sha256$1000$somesalt$Gj6AYQIL20XfWeVON0cJb4ISv9a3Vk9kHvCMUYltbAc=', true, 'Cid'),
  (4, 'dan@example.com', 'scrypt:1024:8:1$somesalt$049301ad2a1a99d4d9e2d741b6c4c9807d6a11d89bf2361f1164e18fadcc98ffa00c970d84147abcc61d67b2d66dce551a6289221aac472e16507691869f6871', true, 'Dan'),
  (5, 'eve@example.com', '$argon2id$v=19$m=64,t=2,p=1$c2FsdHNhbHRzYWx0$C7fLoM1C98cM2iNGu7g49HHzeR8QX/clWYYiDLCvAKs', true, 'Eve'),
  (6, 'locked@example.com', NULL, true, 'Locked');
CREATE ROLE hearth_reader LOGIN PASSWORD 'only-reads';
GRANT SELECT (id, email, password_hash, email_verified, name) ON users TO hearth_reader;
