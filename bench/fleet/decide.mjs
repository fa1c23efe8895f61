export async function benchDecide() {
  return [];
}
