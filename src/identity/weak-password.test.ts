/** Which passwords are refused although they are long. */
import { expect, test } from 'bun:test'
import { oneTimePassword } from '#setup/one-time-password.ts'
import { weakness } from './weak-password.ts'

test.each([
  'password1234',
  'PASSWORD!2026',
  'P@ssw0rd12345',
  'passwordpassword',
  'welcome-2026!!',
  'letmein123456',
  'adminadmin12',
  'Sluice-Admin-1',
  'qwerty123456',
  'iloveyou2026!',
  '123456789012',
  '098765432109',
  'abcdefghijkl',
  'qwertyuiopasdfgh',
  'aaaaaaaaaaaa',
  'abcabcabcabc',
  'hunter2hunter2',
  '1212121212121',
])('%s is refused', (password) => {
  expect(weakness(password)).toStartWith('a password that ')
})

test.each([
  'correct horse battery',
  'first password',
  'Tr0ub4dor&3 and more',
  'der Igel im Garten',
  'пароль от сейфа',
  '我的密码很长很长很长吗',
  'x'.repeat(3) + 'k9Q-pz_7w',
  oneTimePassword(),
])('%s is taken', (password) => {
  expect(weakness(password)).toBeNull()
})
