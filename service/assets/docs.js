// Starts the reference on /docs. A file of its own: the page allows no script inside it.
//
// The reference does not follow references among the parameters of a whole path, so they are
// replaced by what they name before it sees them.
fetch("/openapi.json")
  .then((answer) => answer.json())
  .then((spec) => {
    const named = ({ $ref, ...other }) =>
      $ref ? $ref.split("/").slice(1).reduce((node, key) => node[key], spec) : other;
    for (const path of Object.values(spec.paths)) {
      path.parameters = (path.parameters ?? []).map(named);
    }
    SwaggerUIBundle({
      spec,
      dom_id: "#reference",
      deepLinking: true,
      displayOperationId: true,
      defaultModelsExpandDepth: 0,
    });
  });
