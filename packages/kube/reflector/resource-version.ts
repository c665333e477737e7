const decimal = /^[1-9]\d*$/;

/**
 * True if both are versions of the API server's own storage, where they count up, and `version` is the earlier one.
 * Servers of other storages may use any text: nothing can be said then.
 */
export function isEarlier(version: string, than: string): boolean {
  if (!decimal.test(version) || !decimal.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}
