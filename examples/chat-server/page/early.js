// Before anything is painted: the theme that was chosen, if one was.
document.documentElement.dataset.theme = localStorage.getItem('theme') ?? '';
