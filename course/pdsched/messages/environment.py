"""Words of the doctor."""

from pdsched.messages import Message, register

CATALOG = {
    "environment.host": Message(zh="运行环境", en="environment"),
    "environment.host.colab": Message(zh="Google Colab", en="Google Colab"),
    "environment.host.modelscope": Message(zh="魔搭 ModelScope", en="ModelScope"),
    "environment.host.jupyterlite": Message(zh="JupyterLite（浏览器内）", en="JupyterLite"),
    "environment.host.vscode": Message(zh="VS Code", en="VS Code"),
    "environment.host.jupyter": Message(zh="JupyterLab / Notebook", en="JupyterLab / Notebook"),
    "environment.host.headless": Message(zh="无界面内核", en="kernel without a front end"),
    "environment.host.terminal": Message(zh="终端", en="terminal"),
    "environment.renderer": Message(zh="面板画法", en="panels"),
    "environment.renderer.widget": Message(
        zh="可拖动（ipywidgets + SVG）", en="live (ipywidgets + SVG)"
    ),
    "environment.renderer.static": Message(zh="静态图（SVG）", en="static (SVG)"),
    "environment.missing": Message(zh="未安装", en="not installed"),
    "environment.install": Message(
        zh="运行 pip install '{package}'", en="run pip install '{package}'"
    ),
    "environment.old_python": Message(zh="需要 Python 3.10 以上", en="needs Python 3.10 or newer"),
    "environment.no_png": Message(zh="没有浏览器", en="no browser"),
    "environment.no_png_advice": Message(
        zh="仍可导出 HTML 和 SVG", en="HTML and SVG export still work"
    ),
}
register(CATALOG)
