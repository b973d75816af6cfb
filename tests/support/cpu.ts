/** The computing time of this process so far (ms), which no other program on the machine lengthens. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
