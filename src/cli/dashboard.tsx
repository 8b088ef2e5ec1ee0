export async function runDashboard(): Promise<number> { return 1; }
