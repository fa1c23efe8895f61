export async function benchMany() {
  return [];
}
