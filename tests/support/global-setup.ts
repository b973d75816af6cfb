/** Tests never depend on the zone of the machine they run on. */
export default function globalSetup(): void {
  process.env.TZ = 'UTC';
}
