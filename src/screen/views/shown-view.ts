// Which view is shown, which one was shown before it, and the models of all that ever were.
import type { Dashboard } from "../dashboard.ts";
import type { View, ViewModel } from "./view.ts";

/** The view on the screen. It draws nothing, and tells nobody. */
export class ShownView {
  readonly #dashboard: Dashboard;
  readonly #models = new Map<string, ViewModel>();
  #view: View;
  #before: View | undefined;
  #channelsBefore: readonly string[] = [];

  /** @throws {RangeError} when there is no view to show */
  constructor(dashboard: Dashboard) {
    const { views, start } = dashboard.options;
    const view = views.find(({ name }) => name === start) ?? views[0];
    if (view === undefined) throw new RangeError("a dashboard needs a view");
    this.#dashboard = dashboard;
    this.#view = view;
  }

  get view(): View {
    return this.#view;
  }

  /** The view from which this one was shown; undefined when there is none to go back to. */
  get before(): View | undefined {
    return this.#before;
  }

  /** The model of the view that is shown. */
  get model(): ViewModel {
    return this.modelOf(this.#view);
  }

  /** Channels of what is on the screen; of the view before it, where this one is about the session itself. */
  get channels(): readonly string[] {
    return this.#view.keepsChannels === true ? this.#channelsBefore : this.model.channels;
  }

  /** A view's model, made when it is first asked for. */
  modelOf<Model extends ViewModel>(view: View<Model>): Model {
    const known = this.#models.get(view.name);
    if (known !== undefined) return known as Model;
    const model = view.createModel(this.#dashboard);
    this.#models.set(view.name, model);
    return model;
  }

  /** Shows another view. @param channels those that are held until then */
  replace(view: View, channels: readonly string[]): void {
    this.#channelsBefore = channels;
    this.model.onHide?.();
    this.#before = this.#view;
    this.#view = view;
    this.model.onShow?.();
  }

  /** There is nothing to go back to any more. */
  forgetBefore(): void {
    this.#before = undefined;
  }
}
